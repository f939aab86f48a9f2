// SPDX-License-Identifier: Apache-2.0

// Package ray runs a real Ray on loopback: tasks, an actor and a Serve application. Its metrics page, log
// files and spans go through the built binary, and are compared item by item.
package ray
