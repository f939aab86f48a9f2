// SPDX-License-Identifier: Apache-2.0

package httpserver

import "net/http"

// basicAuth is the type of the extension that checks names and passwords.
const basicAuth = "basicauth"

// refuse answers a request that confighttp refuses. Without the header that it adds, which confighttp does
// not send, no browser asks for a name and a password.
func (s *Server) refuse(w http.ResponseWriter, _ *http.Request, text string, status int) {
	if auth := s.Config.ServerConfig.Auth.Get(); status == http.StatusUnauthorized && auth.Config.AuthenticatorID.Type().String() == basicAuth {
		w.Header().Set("WWW-Authenticate", `Basic realm="otelcol-tc", charset="UTF-8"`)
	}
	http.Error(w, text, status)
}
