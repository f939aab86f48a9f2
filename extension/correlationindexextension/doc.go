// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package correlationindexextension remembers for a time which spans had which key, so that later
// spans and logs find them. The members are in this collector's memory, or in a Redis that several
// collectors share. Package correlation defines keys, members and requests.
package correlationindexextension
