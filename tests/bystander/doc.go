// SPDX-License-Identifier: Apache-2.0

// Package bystander tests that an agent and a gateway change nothing of telemetry that no pack owns, but
// for protected content, and no name and no label of systems whose packs keep names, but for ids. The telemetry has
// the names of real exporters, agents and SDKs.
package bystander
