// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// MaxTargets limits the scraped targets.
const MaxTargets = 500

// target is a scraped target. mu guards what is below it.
type target struct {
	key    targetKey
	seen   moment
	mu     sync.Mutex
	up     bool
	since  time.Time
	failed int64 // scrapes since the last report
}

type targetKey struct {
	service  *ServiceCounts // the job
	instance string
}

// Scraped records whether a scrape of a target succeeded.
func (b *Builder) Scraped(job *ServiceCounts, instance string, up bool, now time.Time) {
	key := targetKey{job, conformance.Kept(instance)}
	t := b.targets.of(key, func() (targetKey, *target) {
		key.instance = strings.Clone(key.instance)
		return key, &target{key: key, up: up, since: now}
	})
	if t == nil {
		b.Refuse(LimitTargets, 1)
		return
	}
	t.seen.set(now)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.up != up {
		t.up, t.since = up, now
	}
	if !up {
		t.failed++
	}
}

// Unscraped removes a target that is no longer scraped.
func (b *Builder) Unscraped(job *ServiceCounts, instance string) {
	b.targets.remove(targetKey{job, conformance.Kept(instance)})
}

// reportTargets returns the targets, and adds findings for failed scrapes.
func (b *Builder) reportTargets() []conformance.Target {
	all := []conformance.Target{}
	for _, t := range b.targets.all() {
		t.mu.Lock()
		failed := t.failed
		t.failed = 0
		all = append(all, conformance.Target{Service: t.key.service.Name, Instance: t.key.instance, Up: t.up, Since: t.since, Last: t.seen.time()})
		t.mu.Unlock()
		if failed > 0 {
			b.Finding(Key{Rule: RuleScrapeFailed, Kind: KindMetric, Service: t.key.service, Original: t.key.instance}).count.Add(failed)
		}
	}
	slices.SortFunc(all, func(a, b conformance.Target) int {
		if a.Up != b.Up {
			return map[bool]int{false: -1, true: 1}[a.Up]
		}
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Instance, b.Instance))
	})
	return all
}
