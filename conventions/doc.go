// Package conventions holds what is known about the names that each system sends: one YAML
// pack a system, and the strict loader of packs.
//
// A pack is data, never code: which telemetry a system owns and how its metric, span and
// attribute names become conformant. schema.json is the format; the loader validates
// against it and editors complete from it.
//
// Packages below read what a pack is made of: glob, layout, linking and weaver. Packages
// above use packs: naming decides names, logformat reads lines of logs.
package conventions
