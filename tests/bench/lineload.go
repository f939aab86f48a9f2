// SPDX-License-Identifier: Apache-2.0

package main

import "os"

// linesPerFile makes a slice long against the 10 ms in which CPU time is accounted,
// and a file of 74 MB.
const linesPerFile = 400_000

// lineLoad is the lines of one file, written again and again.
type lineLoad struct {
	text []byte
	// starts are where the first lines of the files begin: one line for each file.
	starts []int
}

func newLineLoad(lines int) lineLoad {
	var l lineLoad
	for n := range lines {
		l.starts = append(l.starts, len(l.text))
		l.text = append(append(l.text, cppLine(n)...), '\n')
	}
	return l
}

func (l lineLoad) String() string { return "files, lines of TensorCast's C++" }

// warmUps: the target that uses the least memory fills its heap with the third file.
func (lineLoad) warmUps() int { return 3 }

func (l lineLoad) feed(_, telemetry string) (feed, error) {
	dir, err := os.MkdirTemp("", "otelcol-tc-bench-")
	return &writer{load: l, dir: dir, telemetry: telemetry}, err
}

// write makes the nth file. Each begins with another line: a file that began as
// one that is known would be taken for it.
func (l lineLoad) write(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	start := l.starts[n%len(l.starts)]
	if _, err := file.Write(l.text[start:]); err != nil {
		return err
	}
	if _, err := file.Write(l.text[:start]); err != nil {
		return err
	}
	return file.Close()
}
