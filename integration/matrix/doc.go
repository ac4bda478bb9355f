// Package matrix runs whole evacuations and recoveries over the region in memory:
// one with every crash there can be, two at once, and against random regions and
// random edits by others.
package matrix
