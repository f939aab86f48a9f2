// SPDX-License-Identifier: Apache-2.0

// Package payload makes the telemetry that tests send: jobs with spans and logs that belong together, a program
// that counts, and requests with deep nesting.
package payload
