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

// Result says how a file is. It is whole if both texts are empty.
type Result struct {
	File string
	// Damage is what bbolt would fail or panic on.
	Damage string
	// Unknown is why it cannot be known whether the file is whole.
	Unknown string
}

const (
	// A child has childTime, and a second more for each childRate bytes of its files.
	childTime = 20 * time.Second
	childRate = 16 << 20
	// childMemory is what its garbage collector aims at. The files are mapped and do not count.
	childMemory = "GOMEMLIMIT=128MiB"
	// childVariable is set for a child. A program without the command must not start more.
	childVariable = "OTELCOL_TC_CHECKS_BBOLT"
	// maxStderr is enough for a panic's first lines.
	maxStderr = 64 << 10
)

// crash is how the message of a Go program begins that has ended by itself. One that lacks
// memory or threads says nothing about a file.
var (
	crash       = regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address ).*$`)
	noResources = regexp.MustCompile(`out of memory|cannot allocate memory|newosproc|thread`)
)

// maxFiles bounds the arguments of a child, which the kernel bounds too.
const maxFiles = 128

// Check checks files in a child of this process, which has to run the command. A file that is
// damaged or that ends the child is its last one, and another child checks the files after it.
func Check(ctx context.Context, files []string) (results []Result) {
	for left := files; len(left) > 0; left = files[len(results):] {
		found := checkInChild(ctx, left[:min(len(left), maxFiles)])
		if len(found) == 0 { // the first file ended it
			found = checkInChild(ctx, left[:1])
		}
		results = append(results, found...)
	}
	for i := range results {
		if r := &results[i]; r.Damage != "" {
			// A disk that fails for a while can have all of the file when it is back.
			if err := readAll(r.File); err != nil {
				r.Damage, r.Unknown = "", err.Error()
			}
		}
	}
	return results
}

// checkInChild returns results of all files, or of fewer if one is damaged or ended the child.
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
	// The child ends with this process, since its locks keep the next one from the files.
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

// program returns the path of the binary that this process runs. Linux finds it also after an
// upgrade has replaced the file, and a process without /proc knows how it was started.
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

// read reads what a child says: the name of each file, and its result. It returns the results,
// and how many files the child has begun. What ends a child before it has begun a file says
// nothing about the file.
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
		r.File = file // of any bytes, which JSON does not have
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
