// SPDX-License-Identifier: Apache-2.0

//go:build unix

package runtimetune

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"
)

// series is as large as what a gateway keeps of a series, with as many pointers.
type series struct {
	labels []string
	_      [20]float64 // values, which nobody reads
	next   *series
}

// BenchmarkGarbage measures how often garbage is collected, and the CPU time of the process, for each GiB that it
// allocates beside a live heap. A gateway allocates a GiB for 200,000 points, which takes 4 s of CPU time.
func BenchmarkGarbage(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(idlePercent))
	for live, percents := range map[int][]int{100: {800, 250, 125, 50}, 500: {200, 100, 50, 25, 12}} {
		b.Run(fmt.Sprintf("live=%dMiB", live), func(b *testing.B) {
			kept := liveHeap(live * mib)
			for _, percent := range percents {
				b.Run(fmt.Sprintf("garbage=%dMiB", live*percent/100), func(b *testing.B) {
					debug.SetGCPercent(percent)
					runtime.GC()
					collections, cpu := collectionsSoFar(), cpuTime()
					for b.Loop() {
						allocate(1 << 30)
					}
					b.ReportMetric(float64(collectionsSoFar()-collections)/float64(b.N), "collections/GiB")
					b.ReportMetric((cpuTime()-cpu).Seconds()/float64(b.N), "CPU-s/GiB")
				})
			}
			runtime.KeepAlive(kept)
		})
	}
}

func collectionsSoFar() uint64 {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}

// cpuTime returns the CPU time of the process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// liveHeap returns series that take about so many bytes.
func liveHeap(bytes int) map[string]*series {
	const each = 440 // bytes of a series with its labels and its place in the map
	kept := map[string]*series{}
	var last *series
	for i := range bytes / each {
		s := &series{next: last}
		for j := range 5 {
			s.labels = append(s.labels, fmt.Sprintf("label-%d-%d", j, i))
		}
		kept[s.labels[0]], last = s, s
	}
	return kept
}

// batch is what allocate keeps alive, as requests in flight are.
var batch [4096][]*int64

// allocate allocates so many bytes of small objects with pointers.
func allocate(bytes int) {
	const each = 64*8 + 8*8
	for i := range bytes / each {
		objects := make([]*int64, 64)
		for j := 0; j < len(objects); j += 8 {
			objects[j] = new(int64)
		}
		batch[i%len(batch)] = objects
	}
}
