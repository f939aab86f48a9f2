package doctor

import "strings"

// rule finds one kind of fault.
type rule struct {
	id string
	// why is the consequence, for the command's help.
	why  string
	find func(c *configuration, report reporter)
}

// reporter records a finding at a setting: the fault, and what to write instead.
type reporter func(severity Severity, path []string, text, fix string)

// rules are all but unset-variable.
var rules = []rule{
	{"no-memory-limiter", "Backend away, 256 MiB: the process is killed for its memory.", findNoLimiter},
	{"memory-limiter-not-first", "What stands before the limiter takes memory that it cannot refuse.", findLimiterNotFirst},
	{"memory-limiter-slow", "At 5 s the process was killed for its memory between two checks, also with GOMEMLIMIT.", findSlowLimiter},
	{"batch-before-persistent-queue", "Killed with a batch processor before a persistent queue: all in the batch was lost.", findBatchBeforeQueue},
	{"memory-queue-behind-log-file", "Lines count as read once they are in memory: outage, kill, and most of them were lost.", findMemoryQueue},
	{"log-file-without-storage", "Killed while files were rotated: half of the lines came again, or those in between never.", findLogFileWithoutStorage},
	{"pod-logs-by-file-log", "A pod that makes a link or a pipe had any file of the node shipped, or the reading of all files stopped.", findPodLogsByFileLog},
	{"retry-off", "What the backend or the next component refuses once is lost, a whole persistent queue at the end too.", findRetryOff},
	{"retry-too-short", "An outage longer than the default of 5 min: what was on disk to survive it was dropped.", findShortRetry},
	{"no-read-timeout", "A body that a client never finishes held the process for 45 s and more after SIGTERM.", findNoReadTimeout},
	{"body-limit", "A body of 14.5 MB of nested values overflows the stack, which ends the process.", findBodyLimit},
	{"http-compression", "A small body in zstd, lz4 or snappy makes the decoder take memory before anything counts it.", findHTTPCompression},
	{"wait-for-metadata", "While the Kubernetes API was away the process neither served nor ended.", findWaitForMetadata},
	{"before-naming", "Budgets, keys and links go by the convention's names, which do not exist before naming.", findBeforeNaming},
	{"sampling-before-links", "Links lead to spans that are sampled away, and the index learns of half of the spans.", findSamplingBeforeLinks},
	{"open-endpoint", "Whoever reaches the machine can send, or read what it knows.", findOpenEndpoint},
	{"debug-detailed", "Each datum is written to the log, many times as costly as to send it.", findDebugDetailed},
	{"extension-not-enabled", "The collector does not start: a component needs an extension that the service lacks.", findExtensionNotEnabled},
	{"unused", "It is not running, though somebody may think so.", findUnused},
	{"deprecated-name", "The name goes away with a later release, and the collector does not start.", findDeprecatedName},
}

// apply returns what a rule finds.
func (r rule) apply(c *configuration) []Finding {
	var findings []Finding
	r.find(c, func(severity Severity, path []string, text, fix string) {
		findings = append(findings, Finding{
			Position: c.sources.position(path),
			Severity: severity,
			Rule:     r.id,
			Text:     oneLine(text),
			Fix:      oneLine(fix),
		})
	})
	return findings
}

// oneLine keeps a value with line breaks from looking like several findings.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// setting is a path as errors of the collector write it.
func setting(path []string) string { return strings.Join(path, "::") }
