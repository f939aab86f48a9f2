// SPDX-License-Identifier: Apache-2.0

// Package opampreport removes secrets and the user info of URLs from what the opamp extension reports to its server:
// the configuration, the description and the errors of components. The collector itself redacts only the settings whose
// type says that they are secret.
package opampreport
