package storageguardextension

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/boltcheck"
)

// errNothingStored is the error of what is no file, or one with nothing in it: bbolt makes a
// database of that.
var errNothingStored = errors.New("nothing is stored")

// lockTimeout is how long file_storage waits for another process by default. Who would have
// the file in time there has it here too.
const lockTimeout = time.Second

// inspect returns what is wrong with a file, or an error when that cannot be found out.
func inspect(path string) (damage, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, errNothingStored
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// Opened read-only, bbolt looks at the meta pages and nothing else, and holds a lock that
	// keeps writers away until the check is over.
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("another process has it open: %w", err)
	}
	if err == nil {
		defer db.Close()
	}
	// Other errors are left to the check, which says more of them.
	damage, unread := boltcheck.Check(file, info.Size())
	if damage != nil || unread != nil {
		return damage, unread
	}
	return nil, err
}
