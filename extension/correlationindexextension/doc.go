//go:generate go tool mdatagen metadata.yaml

// Package correlationindexextension remembers for a time which spans had which key,
// so that spans and logs that come later find them: in this collector's memory, or in
// a Redis that several collectors share. What a key is and who asks is not known here;
// package correlation says what is asked.
package correlationindexextension
