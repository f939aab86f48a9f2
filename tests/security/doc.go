// SPDX-License-Identifier: Apache-2.0

// Package security tests limits of requests, streams and bodies, TLS and tokens, and that secrets are not shown.
package security
