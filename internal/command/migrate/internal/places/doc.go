// SPDX-License-Identifier: Apache-2.0

// Package places finds the queries in dashboards, rules and Kubernetes objects, and the names of
// labels that depend on them.
package places
