// SPDX-License-Identifier: Apache-2.0

// Package redact removes secrets from what the collector prints, logs and reports. URLs removes the user info of the
// URLs in a text, and Text also the values of query parameters that are secrets. Core does so for a zap logger, and
// Writer for an output stream. Conf, Output and Setting remove secrets from a configuration, which they know by the
// names and the forms of settings.
package redact
