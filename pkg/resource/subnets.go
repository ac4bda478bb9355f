package resource

import "slices"

// Merge puts the subnets of restore back into live: each behind the nearest one
// before it in order that is there, else before the nearest behind it, else at
// the end. What is there already stays where it is, and nothing is removed, so
// that whatever others changed meanwhile survives. Undisturbed, the result is
// order again.
func Merge(live, order, restore []string) []string {
	merged := slices.Clone(live)
	for _, id := range sortedBy(order, restore) {
		if !slices.Contains(merged, id) {
			merged = slices.Insert(merged, place(merged, order, id), id)
		}
	}
	return merged
}

// place is the index in list at which id belongs by order.
func place(list, order []string, id string) int {
	at := slices.Index(order, id)
	if at < 0 {
		return len(list)
	}
	for i := at - 1; i >= 0; i-- {
		if found := slices.Index(list, order[i]); found >= 0 {
			return found + 1
		}
	}
	for i := at + 1; i < len(order); i++ {
		if found := slices.Index(list, order[i]); found >= 0 {
			return found
		}
	}
	return len(list)
}

// sortedBy returns ids in the sequence of order, those not in it last.
func sortedBy(order, ids []string) []string {
	sorted := slices.Clone(ids)
	rank := func(id string) int {
		if i := slices.Index(order, id); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(sorted, func(a, b string) int { return rank(a) - rank(b) })
	return sorted
}

// Without returns list without the ids, its order kept.
func Without(list, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(ids, id) })
}
