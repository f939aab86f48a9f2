// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// isLogFile reports whether a receiver reads files and can store its position in them, as runtime_log and
// file_log do.
func isLogFile(d declared) bool {
	return d.section == receivers && d.top().has("include") && positionKey(d) != ""
}

// positionKey returns the setting that makes a receiver store positions.
func positionKey(d declared) string {
	for _, key := range []string{"directory", "storage"} {
		if d.top().has(key) {
			return key
		}
	}
	return ""
}

// storesPosition reports whether a receiver of files keeps its position over a restart.
func storesPosition(d declared) bool {
	directory, isText := settingOf[string](d.top(), "directory")
	return isText && directory != "" || d.top().set("storage")
}

// findLogFileWithoutStorage skips exporters that keep data on this machine, because a file or a page
// starts anew with the process too.
func findLogFileWithoutStorage(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		if !slices.ContainsFunc(p.destinations(), sends) {
			continue
		}
		for _, d := range p.receivers {
			if isLogFile(d) && !storesPosition(d) {
				repair := "storage: file_storage, with that extension in service::extensions"
				if positionKey(d) == "directory" {
					repair = "directory: a directory that nothing else uses"
				}
				report(Warning, d.path(), fmt.Sprintf("%q loses its position in the files when the process ends", d.id), repair)
			}
		}
	}
}

// sends reports whether an exporter sends data to a backend that may be unavailable.
func sends(d declared) bool {
	return isOpaque(d) && !isSink(d) || slices.ContainsFunc(d.groups(), func(g group) bool { return g.has(retryOnFailure) })
}

// podLogs are the directories with the logs of pods, on the node or mounted.
var podLogs = []string{"/var/log/pods/", "/var/log/containers/", "/var/lib/docker/containers/"}

// findPodLogsByFileLog reports a note: a pod needs a volume of the node to make a link there.
func findPodLogsByFileLog(c *configuration, report reporter) {
	for _, d := range c.used(receivers) {
		if !isOf("file_log")(d) {
			continue
		}
		include, _ := settingOf[[]string](d.top(), "include")
		for i, pattern := range include {
			if slices.ContainsFunc(podLogs, func(directory string) bool { return strings.Contains(pattern, directory) }) {
				report(Note, d.path("include", strconv.Itoa(i)),
					fmt.Sprintf("%q follows links and opens pipes that a pod makes in %q", d.id, pattern),
					"read them with runtime_log and container: auto")
			}
		}
	}
}
