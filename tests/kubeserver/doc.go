// Package kubeserver runs a Kubernetes API server with its etcd, kubectl and helm.
package kubeserver
