package region

import "fmt"

// Configuration is all that can be configured, by kind and name. Two are deeply
// equal when nothing differs.
func (r *Region) Configuration() map[string]any {
	all := map[string]any{}
	for name, c := range r.Snapshot() {
		all[fmt.Sprint("group ", name)] = c
	}
	for name, c := range r.Services() {
		all[fmt.Sprint("service ", name)] = c
	}
	for name, c := range r.Functions() {
		all[fmt.Sprint("function ", name)] = c
	}
	return all
}
