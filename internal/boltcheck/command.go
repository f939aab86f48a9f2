// SPDX-License-Identifier: Apache-2.0

package boltcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// CommandName is the name of the command that a child runs.
const CommandName = "check-bbolt"

// maxStack is far more than a tree needs. One with a page that is its own child takes it all.
const maxStack = 16 << 20

// lockTimeout is how long file_storage waits for another process by default.
const lockTimeout = time.Second

// NewCommand returns the command that a child runs: it writes a Result for each file, up to one
// that is damaged.
func NewCommand() *cobra.Command {
	return &cobra.Command{
		Use:    CommandName + " FILE...",
		Short:  "Check files of file_storage",
		Hidden: true,
		RunE: func(cmd *cobra.Command, files []string) error {
			debug.SetMaxStack(maxStack)
			if os.Getenv(childVariable) != "" {
				go endWithParent()
			}
			lines := json.NewEncoder(cmd.OutOrStdout())
			for _, file := range files {
				if err := lines.Encode(file); err != nil {
					return err
				}
				r := checkHere(file)
				// bbolt's check leaves goroutines behind that can still end the process.
				if err := lines.Encode(r); err != nil || r.Damage != "" {
					return err
				}
			}
			return nil
		},
	}
}

// endWithParent ends the process when its parent does, which holds the other end of stdin.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

// checkHere checks a file, and may end the process.
func checkHere(path string) Result {
	err := check(path)
	var errno syscall.Errno
	var pathError *fs.PathError
	switch {
	case err == nil:
		return Result{File: path}
	case errors.Is(err, berrors.ErrTimeout):
		return Result{File: path, Unknown: "another process has it open: " + err.Error()}
	case errors.As(err, &errno), errors.As(err, &pathError):
		return Result{File: path, Unknown: err.Error()}
	default:
		return Result{File: path, Damage: err.Error()}
	}
}

func check(path string) (err error) {
	defer func() {
		if damage := recover(); damage != nil {
			err = fmt.Errorf("%v", damage)
		}
	}()
	// Open looks at the meta pages only. Its lock is shared, and keeps writers away until the
	// check is over.
	db, err := open(path, false)
	if err != nil {
		return err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		// bbolt makes the file longer before it says so in the meta page. Free pages that are
		// missing are missed when they are used.
		if tx.Size() > info.Size() {
			return fmt.Errorf("truncated: %d bytes are there, and %d should be", info.Size(), tx.Size())
		}
		// First, since bbolt counts as many pages as a page claims to have, and panics where
		// nobody recovers.
		p := mapped(db, tx.Size())
		root := uint64(tx.Cursor().Bucket().Root())
		p.tree(root, p.at(root), nil, true)
		if p.isMeta(0) && p.isMeta(1) && (p.listsFree(0) || p.listsFree(1)) {
			return <-tx.Check()
		}
		// Without a list of free pages bbolt checks the tree to make one. That is half the time
		// of its check, which also fails with one damaged meta page, though bbolt does not.
		again, err := open(path, true)
		if err != nil {
			return err
		}
		return again.Close()
	})
	if err != nil {
		// It stays open until the process ends: bbolt's check may still be reading it.
		return err
	}
	return db.Close()
}

func open(path string, freelist bool) (*bbolt.DB, error) {
	return bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, PreLoadFreelist: freelist, Timeout: lockTimeout})
}
