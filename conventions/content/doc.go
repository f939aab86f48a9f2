// SPDX-License-Identifier: Apache-2.0

// Package content decides which values must not travel on, and what replaces them: texts of
// conversations with models, credentials, and secrets in URLs. A Policy decides by the attribute key, and
// by the service where the services have different settings. It knows no container of telemetry: the
// naming processor finds the values and replaces them.
package content
