//go:generate go tool mdatagen metadata.yaml

// Package rendezvousexporter sends each trace, and the logs and metrics of each resource, to
// one of several OTLP endpoints, chosen by rendezvous hashing. What an endpoint took is
// never sent again because of another, and what it cannot have taken goes to the next one
// at once.
package rendezvousexporter
