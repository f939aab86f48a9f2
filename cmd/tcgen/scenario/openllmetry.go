// SPDX-License-Identifier: Apache-2.0

package scenario

// openllmetry is OpenLLMetry: instrumentation of GenAI applications.
var openllmetry = keptSystem{name: "openllmetry"}
