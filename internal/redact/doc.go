// Package redact keeps the user info of URLs, which may hold a password or a token, out of what
// the collector prints and logs.
package redact
