// SPDX-License-Identifier: Apache-2.0

// Package boltcheck finds damaged bbolt files with bbolt's own check. The check runs in a child
// process, since nobody can recover from what bbolt does to a damaged file.
package boltcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// Result is the outcome of a check. The file is intact if both texts are empty.
type Result struct {
	File string
	// Damage is what bbolt would fail or panic on.
	Damage string
	// Unknown is the reason why the check has no outcome.
	Unknown string
}

const (
	// A child may run for childTime, plus a second for each childRate bytes of its files.
	childTime = 20 * time.Second
	childRate = 16 << 20
	// childMemory limits the child's heap. The mapped files do not count.
	childMemory = "GOMEMLIMIT=128MiB"
	// childVariable is set for a child, so that a child does not start children itself.
	childVariable = "OTELCOL_TC_CHECKS_BBOLT"
	// maxStderr is the number of bytes kept of a child's output: the first lines of a panic.
	maxStderr = 64 << 10
)

// crash matches the message of a Go program that crashed. noResources matches the messages
// of crashes that a lack of memory or threads causes, not the file.
var (
	crash       = regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address ).*$`)
	noResources = regexp.MustCompile(`out of memory|cannot allocate memory|newosproc|thread`)
)

// maxFiles is the largest number of files for one child. The kernel limits arguments.
const maxFiles = 128

// Check checks files in a child process, which runs the command CommandName of this binary. A
// child stops at a file that is damaged or that crashes it; the next child checks the rest.
func Check(ctx context.Context, files []string) (results []Result) {
	for left := files; len(left) > 0; left = files[len(results):] {
		found := checkInChild(ctx, left[:min(len(left), maxFiles)])
		if len(found) == 0 { // the child crashed on the first file
			found = checkInChild(ctx, left[:1])
		}
		results = append(results, found...)
	}
	for i := range results {
		if r := &results[i]; r.Damage != "" {
			// A disk that fails for a while is not damage: the file may be intact afterwards.
			if err := readAll(r.File); err != nil {
				r.Damage, r.Unknown = "", err.Error()
			}
		}
	}
	return results
}

// checkInChild returns results of all files, or of fewer if one is damaged or crashes the child.
func checkInChild(ctx context.Context, files []string) []Result {
	unknown := func(err error) (all []Result) {
		for _, file := range files {
			all = append(all, Result{File: file, Unknown: "the process that checks it: " + err.Error()})
		}
		return all
	}
	if os.Getenv(childVariable) != "" {
		return unknown(errors.New("this is such a process"))
	}
	binary, err := program()
	if err != nil {
		return unknown(err)
	}
	limit := childTime
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			limit += time.Duration(info.Size()/childRate) * time.Second
		}
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// A relative path can begin like a flag.
	cmd := exec.CommandContext(bounded, binary, append([]string{CommandName, "--"}, files...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), childMemory, childVariable+"=1")
	// The child exits when its stdin closes, so that it does not hold locks after this process.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return unknown(err)
	}
	defer stdin.Close()
	var stdout bytes.Buffer
	stderr := &head{left: maxStderr}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && bounded.Err() == nil {
		return unknown(err)
	}
	results, begun := read(&stdout, files)
	message := string(crash.Find(stderr.Bytes()))
	switch {
	case bounded.Err() != nil:
		return append(results, unknown(fmt.Errorf("not done after %s", limit))[len(results):]...)
	case len(results) > 0 || err != nil && len(files) > 1:
		return results
	case err == nil:
		return unknown(errors.New("says nothing"))
	case begun == 0 || message == "" || noResources.MatchString(message):
		return unknown(fmt.Errorf("%w %s", err, message))
	default:
		return []Result{{File: files[0], Damage: message}}
	}
}

// program returns the path of the binary that this process runs. On Linux the path stays valid
// after an upgrade has replaced the file.
func program() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	if binary, err := os.Executable(); err == nil {
		return binary, nil
	}
	return exec.LookPath(os.Args[0])
}

// read reads the output of a child: the name of each file, then its result. It returns the
// results and the number of files that the child began. A crash before a file began is not
// due to the file.
func read(stdout io.Reader, files []string) (results []Result, begun int) {
	lines := json.NewDecoder(stdout)
	for _, file := range files {
		var name string
		if lines.Decode(&name) != nil {
			break
		}
		begun++
		var r Result
		if lines.Decode(&r) != nil {
			break
		}
		r.File = file // JSON cannot represent names that are not UTF-8
		results = append(results, r)
	}
	return results, begun
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.Buffer.Write(p[:n])
	return len(p), nil
}

// readAll reads a file to its end, and tries again once.
func readAll(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return readTwice(file)
}

func readTwice(file io.ReadSeeker) error {
	_, err := io.Copy(io.Discard, file)
	if err != nil {
		if _, err = file.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(io.Discard, file)
		}
	}
	return err
}
