// SPDX-License-Identifier: Apache-2.0

// Package kubeserver runs a Kubernetes API server with its etcd, kubectl and helm.
package kubeserver
