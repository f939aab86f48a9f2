// SPDX-License-Identifier: Apache-2.0

// Package opampreport removes secrets and the user info of URLs from the configuration that the opamp extension
// reports to its server. The collector itself redacts only the settings whose type says that they are secret.
package opampreport
