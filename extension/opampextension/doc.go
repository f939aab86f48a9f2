// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package opampextension reports the health, the components and the configuration of a collector to an OpAMP server.
// Secrets and the user info of URLs are removed from what it reports. The server can change nothing.
package opampextension
