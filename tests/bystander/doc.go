// Package bystander tests that an agent and a gateway change nothing of telemetry that no pack owns, but
// for protected content. The telemetry has the names of real exporters, agents and SDKs.
package bystander
