// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package rendezvousexporter sends each trace, and the logs and metrics of each resource, to one of
// several OTLP endpoints, chosen by rendezvous hashing. Data that an endpoint accepted is not sent again
// when another endpoint fails. Data for an endpoint that is away goes to the next endpoint at once.
//
// # Invariants
//
// Whatever endpoints answer, and whichever come and go meanwhile:
//
//   - Each item of a batch is accepted by one endpoint, or is in the error that the sender gets.
//   - It goes to a second endpoint only if the first one did not accept it, or nobody knows.
//   - Items of one key keep their order as long as each delivery is waited for.
//   - An error is permanent only if all that it has was refused for good.
//   - A delivery ends with its context.
package rendezvousexporter
