// Package prometheus tests the Prometheus page, and scrapes, with a real Prometheus server.
package prometheus
