// SPDX-License-Identifier: Apache-2.0

// Package deploy tests what installs the collector: the image, the packages, the release, and the Kubernetes
// manifests against a real API server.
package deploy
