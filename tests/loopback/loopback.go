// SPDX-License-Identifier: Apache-2.0

// Package loopback finds free addresses on this machine for the servers of a test, the demo or a
// benchmark.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// These ports are outside the ranges that operating systems use for outgoing connections and for port 0. A
// block of them belongs to one process until it ends, so that a free port stays free until its server
// starts, also while several packages are tested at once.
const (
	firstPort = 10_000
	blocks    = 350
	blockSize = 65
	// A process gets no more blocks than these, so that others that run at the same time get theirs. Hundreds of commands
	// of one test need a port for a moment each.
	blocksOfProcess = 25
)

var (
	mutex sync.Mutex
	// owned are the locked files of the blocks of this process. To close one is to unlock it.
	owned []*os.File
	// ports are those of the owned blocks that were not handed out, or not since all blocks were taken.
	ports []int
)

// FreeAddresses returns n different host:port pairs on 127.0.0.1 without a listener. A pair comes again only
// after all that this process can get have come.
func FreeAddresses(n int) ([]string, error) {
	mutex.Lock()
	defer mutex.Unlock()
	addresses := make([]string, 0, n)
	for range blocks * blockSize {
		if len(addresses) == n {
			break
		}
		port, err := nextPort()
		if err != nil {
			return nil, err
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := listener.Close(); err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	if len(addresses) < n {
		return nil, fmt.Errorf("only %d of %d ports from %d on are free", len(addresses), n, firstPort)
	}
	return addresses, nil
}

// nextPort returns a port of a block that this process owns.
func nextPort() (int, error) {
	if len(ports) == 0 {
		if err := own(); err != nil {
			return 0, err
		}
	}
	port := ports[0]
	ports = ports[1:]
	return port, nil
}

// own locks a block that no process has and adds its ports. If there is none, or the process has its share, the ports of
// all owned blocks can be handed out again.
func own() error {
	directory := filepath.Join(os.TempDir(), fmt.Sprintf("otelcol-tc-ports-%d", os.Getuid()))
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	first := rand.IntN(blocks)
	for i := 0; i < blocks && len(owned) < blocksOfProcess; i++ {
		block := (first + i) % blocks
		lock, err := os.OpenFile(filepath.Join(directory, strconv.Itoa(block)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			owned = append(owned, lock)
			addPorts(block)
			return nil
		}
		lock.Close() //nolint:errcheck // nothing was written
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock %s: %w", lock.Name(), err)
		}
	}
	for _, lock := range owned {
		block, err := strconv.Atoi(filepath.Base(lock.Name()))
		if err != nil {
			return err
		}
		addPorts(block)
	}
	if len(ports) == 0 {
		return fmt.Errorf("other processes own all ports from %d on, see %s", firstPort, directory)
	}
	return nil
}

func addPorts(block int) {
	for i := range blockSize {
		ports = append(ports, firstPort+block*blockSize+i)
	}
}
