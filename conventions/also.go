// SPDX-License-Identifier: Apache-2.0

package conventions

import "regexp"

// AlsoRule copies the metrics whose original name matches. The copies have another name.
type AlsoRule struct {
	// Match is searched in the original name.
	Match *regexp.Regexp `yaml:"match"`
	// Name is the name of the copies. It need not have the prefix.
	Name string `yaml:"name"`
	// Where restricts the copies to the points with these attributes. The copies do not have them. Without it
	// all points are copied.
	Where map[string]string `yaml:"where"`
	// Attributes maps a point attribute of the original to the key that it has on the copy. Other attributes
	// keep their keys.
	Attributes map[string]string `yaml:"attributes"`
	// Set are attributes that every point of the copies has.
	Set map[string]string `yaml:"set"`
	// Unit is the real unit of the original's values if it states none, and the unit of the copies unless Convert is
	// another one. A metric that cannot be converted is not copied.
	Unit string `yaml:"unit"`
	// Convert is the unit of the copies, or empty.
	Convert string `yaml:"convert"`
}
