package main

import (
	"maps"
	"slices"
	"strings"
)

const header = `# What a real API server (%VERSION%) fills into objects when it decodes them, written by codegen/learn. Not to be edited.
# where: * everywhere; a kind of object; a message and its member, where what stands in it differs. The most special line
#   counts: what is said of a member for a kind or a place takes the place of all that is said for *.
# type, member: the message and its member in JSON
# when: - always; a there is a member a; a|b one of them; a="x" it has that value; a~latest an image that means the tag
#   latest; with commas: all of these
# value: JSON; - nothing; =a what member a has; +a the entries of map a that this one lacks
# Of the rules of one member the first that holds counts, and a member that is there already keeps its value.
# where	type	member	when	value
`

func ruleText(r rule) string {
	var when []string
	for _, c := range r.when {
		word := strings.Join(c.members, "|")
		switch {
		case c.value == "~latest":
			word += "~latest"
		case c.value != "":
			word += "=" + c.value
		}
		when = append(when, word)
	}
	condition := strings.Join(when, ",")
	if condition == "" {
		condition = "-"
	}
	value := r.value
	if value == "" {
		value = "-"
	}
	return r.field + "\t" + condition + "\t" + value
}

func byMember(rules []rule) map[string][]string {
	out := map[string][]string{}
	for _, r := range rules {
		out[r.field] = append(out[r.field], ruleText(r))
	}
	return out
}

func (l *learner) table(version string) string {
	var out strings.Builder
	out.WriteString(strings.Replace(header, "%VERSION%", version, 1))
	for _, name := range slices.Sorted(maps.Keys(l.done)) {
		known := l.done[name]
		general := byMember(known[0].rules)
		write := func(scope string, rules map[string][]string) {
			for _, member := range slices.Sorted(maps.Keys(rules)) {
				for _, line := range rules[member] {
					out.WriteString(scope + "\t" + name + "\t" + line + "\n")
				}
			}
		}
		write("*", general)
		for _, k := range known[1:] {
			otherwise := maps.Clone(general)
			if kind := slices.IndexFunc(known, func(o *knowledge) bool { return o.root == k.root && o.parent == "" }); k.parent != "" && kind > 0 {
				otherwise = byMember(known[kind].rules)
			}
			special := byMember(k.rules)
			for member := range otherwise {
				if special[member] == nil {
					special[member] = []string{member + "\t-\t-"}
				}
			}
			maps.DeleteFunc(special, func(member string, lines []string) bool { return slices.Equal(lines, otherwise[member]) })
			write(k.scope(), special)
		}
	}
	return out.String()
}
