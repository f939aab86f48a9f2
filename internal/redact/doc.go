// SPDX-License-Identifier: Apache-2.0

// Package redact removes the user info of URLs, which may contain a password or a token, from
// what the collector prints and logs. URLs redacts a text, Core a zap logger, and Writer an
// output stream.
package redact
