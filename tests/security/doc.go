// Package security tests limits of requests, streams and bodies, TLS and tokens, and that secrets are not shown.
package security
