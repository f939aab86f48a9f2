// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"time"
)

// shortestRetry is the length of an outage that a persistent queue should survive.
const shortestRetry = 24 * time.Hour

// retries returns all retry settings of the component, and the longest of the enabled ones. ok is false
// without any. An exporter can have several, one around the other.
func (d declared) retries() (all []group, longest group, ok bool) {
	for _, g := range d.groups() {
		if !g.has(retryOnFailure) {
			continue
		}
		retry := g.inner(retryOnFailure)
		all = append(all, retry)
		if retry.on("enabled") && (!ok || longer(retry, longest)) {
			longest, ok = retry, true
		}
	}
	return all, longest, ok
}

func longer(a, b group) bool {
	return !endless(b) && (endless(a) || a.duration(maxElapsed) > b.duration(maxElapsed))
}

const maxElapsed = "max_elapsed_time"

// endless reports whether the retries never end.
func endless(retry group) bool { return retry.duration(maxElapsed) == 0 }

func findRetryOff(c *configuration, report reporter) {
	spilled := c.spilled()
	for _, d := range c.used(receivers, exporters) {
		if d.section == exporters && c.returnsFailures(d, spilled) {
			continue
		}
		if all, _, on := d.retries(); len(all) > 0 && !on {
			report(Warning, below(all[0].path, "enabled"), fmt.Sprintf("%q drops data that is refused once", d.id),
				"retry_on_failure::enabled: true")
		}
	}
}

func findShortRetry(c *configuration, report reporter) {
	for _, d := range c.used(exporters) {
		_, longest, on := d.retries()
		if on && d.persistent() && !endless(longest) && longest.duration(maxElapsed) < shortestRetry {
			report(Warning, below(longest.path, maxElapsed),
				fmt.Sprintf("%q drops data that waits longer than %s, although its queue is on disk", d.id, longest.duration(maxElapsed)),
				"retry_on_failure::max_elapsed_time: 24h")
		}
	}
}
