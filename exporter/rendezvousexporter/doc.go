// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package rendezvousexporter sends each trace, and the logs and metrics of each resource, to one of
// several OTLP endpoints, chosen by rendezvous hashing. Data that an endpoint accepted is not sent again
// when another endpoint fails. Data for an endpoint that is away goes to the next endpoint at once.
package rendezvousexporter
