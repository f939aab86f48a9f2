// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package storageguardextension checks the files of file_storage before any component opens them. It
// renames damaged files, which would end the process. It also puts requests that were being sent back to
// the front of their queue. It does so when the collector creates the extension.
package storageguardextension
