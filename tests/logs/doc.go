// SPDX-License-Identifier: Apache-2.0

// Package logs tests log records and the lines of log files: what becomes of their text, time, severity and ids.
package logs
