// SPDX-License-Identifier: Apache-2.0

// Package dashboards reads the files of the folder dashboards, and checks with a real Prometheus that their
// expressions show something.
package dashboards
