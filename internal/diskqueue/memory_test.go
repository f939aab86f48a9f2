// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"math"
	"math/rand/v2"
	"syscall"

	"github.com/otelcol-tc/otelcol-tc/tests/explore"
)

// memory is a disk with a process that uses it, which can die at every byte that it writes and at every other change.
type memory struct {
	*explore.Disk
	process *explore.Process

	steps    int // changes and bytes written
	deadline int // the process dies instead of this step
	faults   *rand.Rand
	failing  int // the next changes fail, and writes are complete all the same
	failed   int // changes that failed because of faults
	unclean  int // of these, those of truncating and deleting
}

func newMemory() *memory { return memoryOf(explore.NewDisk()) }

func memoryOf(disk *explore.Disk) *memory {
	m := &memory{Disk: disk}
	m.restart(math.MaxInt)
	return m
}

// open opens a queue on a disk.
func open(settings Settings, m *memory) (*Queue, Recovery, error) {
	settings.Files = m.process
	return Open(settings)
}

// restart kills the process, and starts one that dies after some steps.
func (m *memory) restart(steps int) {
	if m.process != nil {
		m.process.Kill()
	}
	m.process = m.Process()
	m.process.Decide = m.decide
	m.steps, m.deadline = 0, steps
}

func (m *memory) dead() bool { return m.process.Dead() }

func (m *memory) segments() []string { return m.Paths(extension) }

// opening reports whether a call is about the directory itself, which stays as it is.
func (m *memory) opening(c explore.Call) bool {
	return c.Name == "mkdir" || c.Name == "lock" || c.Name == "sync directory" && c.Path == "."
}

func (m *memory) decide(c explore.Call) explore.Fate {
	if m.opening(c) {
		return explore.Fate{}
	}
	steps := max(c.Bytes, 1)
	if m.steps += steps; m.steps > m.deadline {
		return explore.Fate{Dies: true, Bytes: steps - (m.steps - m.deadline)}
	}
	if m.failing <= 0 && (m.faults == nil || m.faults.IntN(10) > 0) {
		return explore.Fate{}
	}
	m.failing--
	m.failed++
	if c.Name == "truncate" || c.Name == "remove" {
		m.unclean++
	}
	written := c.Bytes
	if m.faults != nil {
		written = m.faults.IntN(c.Bytes + 1)
	}
	return explore.Fate{Err: syscall.EIO, Bytes: written}
}
