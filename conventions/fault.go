package conventions

import (
	"errors"
	"fmt"
)

// lineError is a fault at one line of a pack.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

func joinFaults(faults []*lineError) error {
	all := make([]error, len(faults))
	for i, fault := range faults {
		all[i] = fault
	}
	return errors.Join(all...)
}

// inFile puts the file before each fault: file:line: text where a line is known.
func inFile(file string, err error) error {
	var at *lineError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, inFile(file, e))
		}
		return errors.Join(all...)
	}
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%d: %w", file, at.line, at.err)
	}
	return fmt.Errorf("%s: %w", file, err)
}
