package conventions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Layouts reads the layouts of the format's lines. The error names the line.
func (f LogFormat) Layouts() ([]Layout, error) {
	layouts := make([]Layout, len(f.Lines))
	for i, text := range f.Lines {
		layout, err := ParseLayout(text)
		if err == nil && f.Joins && layout[len(layout)-1].Kind != LayoutBody {
			err = errors.New("must end in {body}, which the lines that follow are added to: joins is true")
		}
		if err != nil {
			return nil, fmt.Errorf("lines.%d: %w", i, err)
		}
		layouts[i] = layout
	}
	return layouts, nil
}

// checkFormats reports layouts that cannot be read, and two formats of one name.
func (p *Pack) checkFormats(doc *yaml.Node) []*lineError {
	var faults []*lineError
	for i, format := range p.Logs.Formats {
		node := child(child(child(doc.Content[0], "logs"), "formats"), strconv.Itoa(i))
		if slices.ContainsFunc(p.Logs.Formats[:i], func(f LogFormat) bool { return f.Name == format.Name }) {
			faults = append(faults, &lineError{child(node, "name").Line, fmt.Errorf(
				"logs.formats.%d.name: %q is the name of an earlier format", i, format.Name)})
		}
		for j := range format.Lines {
			one := LogFormat{Lines: format.Lines[j : j+1], Joins: format.Joins}
			if _, err := one.Layouts(); err != nil {
				faults = append(faults, &lineError{child(child(node, "lines"), strconv.Itoa(j)).Line, fmt.Errorf(
					"logs.formats.%d.lines.%d: %w", i, j, errors.Unwrap(err))})
			}
		}
	}
	return faults
}
