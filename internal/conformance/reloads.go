// SPDX-License-Identifier: Apache-2.0

package conformance

import "time"

// Reloads is which files the policy of a collector comes from, and what became of their last change.
type Reloads struct {
	// Generation counts the policies since the start, from 1.
	Generation int       `json:"generation"`
	Since      time.Time `json:"since"` // of the current policy
	Files      []File    `json:"files"` // of the current policy
	// Refused is why the policy stays although files have changed. It is empty if it has their content.
	Refused   string    `json:"refused,omitempty"`
	RefusedAt time.Time `json:"refused_at,omitzero"`
	// Restart is what has changed in the files and needs a restart.
	Restart []string `json:"restart,omitempty"`
}

// File is a file with a version: the beginning of the hash of its content, or why it cannot be read.
type File struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}
