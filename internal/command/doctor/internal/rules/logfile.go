// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
)

// logFiles are the rules on receivers of log files.
var logFiles = []Rule{
	{"log-file-without-storage", "After a kill during a rotation, half of the lines were sent again, or some were never sent.", findLogFileWithoutStorage},
	{"pod-logs-by-file-log", "With a link or a pipe, a pod could send any file of the node, or block the reading of all files.", findPodLogsByFileLog},
}

// isLogFile reports whether a receiver reads files and can keep its position in them: runtime_log in a directory, and
// file_log in a storage.
func isLogFile(receiver *facts.Component) bool {
	settings := receiver.Settings()
	return receiver.Section == facts.Receivers && settings.Has("include") && (settings.Has("state_directory") || settings.Has(facts.Storage))
}

// findLogFileWithoutStorage skips exporters that keep data on this machine, because a file or a page
// starts anew with the process too.
func findLogFileWithoutStorage(c *facts.Configuration, report reporter) {
	for _, p := range c.Pipelines {
		if !slices.ContainsFunc(facts.Destinations(p.Reach()), sends) {
			continue
		}
		for _, receiver := range p.Receivers {
			settings := receiver.Settings()
			if !isLogFile(receiver) || settings.Text("state_directory") != "" || settings.Set(facts.Storage) {
				continue
			}
			fix := "storage: file_storage, with that extension in service::extensions"
			if settings.Has("state_directory") {
				fix = "state_directory: a directory that nothing else uses"
			}
			report(Warning, receiver.Path(), fmt.Sprintf("%q loses its position in the files when the process ends", receiver.ID), fix)
		}
	}
}

// sends reports whether an exporter sends data to a backend that may be unavailable.
func sends(exporter *facts.Component) bool {
	retries, _ := exporter.Retries()
	return !exporter.Readable && !isSink(exporter) || len(retries) > 0
}

// podLogs are the directories with the logs of pods, on the node or mounted.
var podLogs = []string{"/var/log/pods/", "/var/log/containers/", "/var/lib/docker/containers/"}

// findPodLogsByFileLog reports a note: a pod needs a volume of the node to make a link there.
func findPodLogsByFileLog(c *facts.Configuration, report reporter) {
	for _, receiver := range c.Used(facts.Receivers) {
		if !receiver.Is("file_log") {
			continue
		}
		include, _ := facts.Value[[]string](receiver.Settings(), "include")
		for i, pattern := range include {
			if slices.ContainsFunc(podLogs, func(directory string) bool { return strings.Contains(pattern, directory) }) {
				report(Note, receiver.Path("include", strconv.Itoa(i)),
					fmt.Sprintf("%q follows links and opens pipes that a pod makes in %q", receiver.ID, pattern),
					"read them with runtime_log and container: auto")
			}
		}
	}
}
