// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"strconv"
	"strings"
)

// rule finds one kind of fault.
type rule struct {
	id string
	// why is the consequence, shown in the command's help.
	why  string
	find func(c *configuration, report reporter)
}

// reporter records a finding at a setting: the fault and the fix. Pipelines with the same fault are one finding, at
// the first of them, whose text has their names instead of inPipelines.
type reporter func(severity Severity, path []string, text, fix string, in ...*pipeline)

const inPipelines = "{pipelines}"

// rules are all rules except unset-variable.
var rules = []rule{
	{invalid, "The collector does not start, or this release does not know the setting.", findInvalid},
	{unknownComponent, "What this distribution does not have cannot be checked.", findUnknownComponents},
	{"no-backend", "All data is dropped.", findNoBackend},
	{"endpoint-without-scheme", "The collector starts, and every request fails.", findEndpointWithoutScheme},
	{"dead-pattern", "The metrics that it should exempt are renamed.", findDeadPattern},
	{"no-memory-limiter", "With 256 MiB and the backend down, the process was killed for its memory.", findNoLimiter},
	{"memory-limiter-not-first", "Processors before the limiter use memory that it cannot refuse.", findLimiterNotFirst},
	{"memory-limiter-slow", "At 5 s the process was killed for its memory between two checks, even with GOMEMLIMIT.", findSlowLimiter},
	{"batch-before-persistent-queue", "When the process was killed, the data in the batch processor was lost despite the persistent queue.", findBatchBeforeQueue},
	{"memory-queue-behind-log-file", "Lines in memory count as read: after an outage and a kill, most of them were lost.", findMemoryQueue},
	{"log-file-without-storage", "After a kill during a rotation, half of the lines were sent again, or some were never sent.", findLogFileWithoutStorage},
	{"queue-behind-spillover", "Data in the exporter's own queue counts as sent: a kill loses what was on disk before.", findQueueBehindSpillover},
	{"held-behind-spillover", "Held data counts as sent: a kill loses it, and so does an outage when it is sent later.", findHeldBehindSpillover},
	{"pod-logs-by-file-log", "With a link or a pipe, a pod could send any file of the node, or block the reading of all files.", findPodLogsByFileLog},
	{"retry-off", "Data that is refused once is lost, at shutdown even a complete persistent queue.", findRetryOff},
	{"retry-too-short", "In an outage longer than the default of 5 min, the data on disk was dropped.", findShortRetry},
	{"unordered-metrics", "After an outage, points that were overtaken came late, and delta to cumulative dropped half of them.", findUnorderedMetrics},
	{"metrics-differ", "Metrics go to another backend, or without the token or the headers that other data has.", findDifferentMetrics},
	{"no-read-timeout", "A request that a client never finished delayed the end of the process by 45 s and more.", findNoReadTimeout},
	{"body-limit", "A body of 14.5 MB of nested values overflows the stack, which ends the process.", findBodyLimit},
	{"http-compression", "For a small body in zstd, lz4 or snappy, the decoder allocates memory that no limit counts.", findHTTPCompression},
	{"wait-for-metadata", "While the Kubernetes API was unavailable, the process neither served requests nor ended.", findWaitForMetadata},
	{"before-naming", "Limits, keys and links use the convention's names, which do not exist before naming.", findBeforeNaming},
	{"sampling-before-links", "Links lead to spans that sampling drops, and the index has only part of the spans.", findSamplingBeforeLinks},
	{"open-endpoint", "Everyone who can reach the machine can send data, or read the data of the collector.", findOpenEndpoint},
	{"debug-detailed", "All data is written to the log, which costs many times as much as sending it.", findDebugDetailed},
	{"extension-not-enabled", "The collector does not start: a component needs an extension that the service lacks.", findExtensionNotEnabled},
	{"unused", "The component does not run, although it is configured.", findUnused},
	{"deprecated-name", "A later release removes the name, and the collector will not start.", findDeprecatedName},
}

// apply returns the findings of the rule.
func (r rule) apply(c *configuration) []Finding {
	type shared struct {
		finding   Finding
		pipelines []string
	}
	var all []*shared
	r.find(c, func(severity Severity, path []string, text, fix string, in ...*pipeline) {
		if c.isTemplate(path) {
			return
		}
		found := Finding{Severity: severity, Rule: r.id, Text: oneLine(text), Fix: oneLine(fix)}
		var names []string
		for _, p := range in {
			names = append(names, strconv.Quote(p.id.String()))
		}
		for _, other := range all {
			if same := other.finding; len(in) > 0 && same.Severity == severity && same.Text == found.Text && same.Fix == found.Fix {
				other.pipelines = append(other.pipelines, names...)
				return
			}
		}
		found.Position = c.sources.position(path)
		all = append(all, &shared{found, names})
	})
	findings := make([]Finding, 0, len(all))
	for _, s := range all {
		name := "pipeline "
		if len(s.pipelines) > 1 {
			name = "pipelines "
		}
		s.finding.Text = strings.ReplaceAll(s.finding.Text, inPipelines, name+strings.Join(s.pipelines, ", "))
		findings = append(findings, s.finding)
	}
	return findings
}

// oneLine replaces line breaks, so that a value does not look like several findings.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// setting formats a path like the collector's errors.
func setting(path []string) string { return strings.Join(path, "::") }
