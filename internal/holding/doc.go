// SPDX-License-Identifier: Apache-2.0

// Package holding keeps data back until it is due, and then delivers it to the next component. Each value
// that it accepts is delivered once or reported as lost. It retries deliveries that fail, and Shutdown
// delivers what is still held.
package holding
