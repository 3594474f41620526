package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// rule: where a member is absent and the condition holds, it becomes the value. The first rule of a member that holds counts.
type rule struct {
	field string
	when  []condition // all of them
	value string      // JSON; "" for none; "=m": what member m has; "+m": the entries of m that this map lacks
}

// condition: one of the members is there (values empty), or the only member has the value.
type condition struct {
	members []string
	value   string // JSON; "" for any; "~latest"
}

func (c condition) holds(sent map[string]any) bool {
	for _, name := range c.members {
		value, ok := sent[name]
		if !ok {
			continue
		}
		if image, _ := value.(string); c.value == "~latest" {
			return latest(image)
		}
		if c.value == "" || c.value == text(value) {
			return true
		}
	}
	return false
}

func predict(rules []rule, name string, sent map[string]any) string {
	for _, r := range rules {
		if r.field != name || !all(r.when, sent) {
			continue
		}
		if other, ok := strings.CutPrefix(r.value, "="); ok {
			if value, ok := sent[other]; ok {
				return text(value)
			}
			return ""
		}
		return r.value
	}
	return ""
}

func all(conditions []condition, sent map[string]any) bool {
	for _, c := range conditions {
		if !c.holds(sent) {
			return false
		}
	}
	return true
}

// knowledge: what has been learnt of a message in the objects of one root.
type knowledge struct {
	root   *root
	parent string // where it is so only in one member of a message: that message and member
	rules  []rule
}

func (k *knowledge) scope() string {
	if k.parent != "" {
		return k.parent
	}
	return k.root.scope()
}

type learner struct {
	schema *schema
	probe  *prober
	done   map[string][]*knowledge // by message; the first holds everywhere, the others for their root
	said   map[string]bool
	seen   map[*knowledge]map[string]bool // the places where it has been found to hold
}

func (l *learner) note(k *knowledge, parent string) {
	if l.seen == nil {
		l.seen = map[*knowledge]map[string]bool{}
	}
	if l.seen[k] == nil {
		l.seen[k] = map[string]bool{}
	}
	l.seen[k][parent] = true
}

func conditional(rules []rule) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return len(r.when) > 0 })
}

func same(a, b []rule) bool {
	return slices.EqualFunc(a, b, func(a, b rule) bool { return ruleText(a) == ruleText(b) })
}

const fullRoots = 2 // of these many roots a message is looked at closely; of the others only whether nothing differs

func (l *learner) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if l.said == nil {
		l.said = map[string]bool{}
	}
	if !l.said[line] {
		l.said[line] = true
		fmt.Fprintln(os.Stderr, line)
	}
}

func (l *learner) learn(r *root) error {
	if _, err := l.probe.object(r, (&instance{root: r, message: r.kind}).build(map[string]any{})); err != nil {
		l.say("%s: not served or not shown: %v", r.scope(), err)
		return nil
	}
	l.visit(&instance{root: r, message: r.kind})
	return nil
}

func (l *learner) visit(in *instance) {
	l.look(in)
	for _, f := range in.message.fields {
		if f.message == nil || f.message.name == "k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta" || f.kind != "message" {
			continue
		}
		if f.message == in.root.kind || slices.ContainsFunc(in.path, func(p *field) bool { return p.message == f.message }) {
			continue
		}
		l.visit(&instance{root: in.root, path: append(slices.Clone(in.path), f), message: f.message})
	}
}

// look learns what becomes of the message, or checks that it is what is known already.
func (l *learner) look(in *instance) {
	known := l.done[in.message.name]
	parent := in.parent()
	at := slices.IndexFunc(known, func(k *knowledge) bool { return k.parent != "" && k.parent == parent })
	if at < 0 {
		at = slices.IndexFunc(known, func(k *knowledge) bool { return k.parent == "" && k.root == in.root })
	}
	learn := func(parent string) {
		if rules, ok := l.rulesOf(in); ok {
			l.done[in.message.name] = append(known, &knowledge{in.root, parent, rules})
		}
	}
	if at < 0 && len(known) < fullRoots {
		learn("")
		return
	}
	k := known[max(at, 0)]
	if at >= 0 && k.parent == "" && conditional(k.rules) && !l.seen[k][parent] {
		// What depends on other members may do so only in some places.
		if rules, ok := l.rulesOf(in); ok && !same(rules, k.rules) {
			l.done[in.message.name] = append(known, &knowledge{in.root, parent, rules})
			return
		}
		l.note(k, parent)
		return
	}
	base, _, _ := l.try(in, map[string]any{})
	if base == nil {
		return
	}
	for _, f := range in.message.fields {
		if predict(k.rules, f.name, nil) == base[f.name] {
			continue
		}
		if at < 0 {
			learn("")
		} else {
			learn(parent)
		}
		return
	}
}

// try gives what the server adds to `content`, and the whole object without what is in that place; nil: it did not show it.
func (l *learner) try(in *instance, content map[string]any) (outcomes, map[string]any, []string) {
	sent := in.build(content)
	got, err := l.probe.object(in.root, sent)
	if got == nil {
		if in.root.shown() {
			l.say("%s %s: %v", in, text(content), err)
		}
		return nil, nil, nil
	}
	node := in.at(got)
	if node == nil {
		l.say("%s: it is not in the object any more", in)
		return nil, nil, nil
	}
	added, rewritten := in.message.compare(in.at(sent), node, len(in.path) == 0)
	clear(node)
	delete(got, "metadata")
	return added, got, rewritten
}

type variation struct {
	member string
	value  any
	added  outcomes
}

func (l *learner) rulesOf(in *instance) ([]rule, bool) {
	base, around, _ := l.try(in, map[string]any{})
	if base == nil {
		return nil, false
	}
	var variations []variation
	targets := maps.Clone(base)
	for _, f := range in.message.fields {
		if f.kind == "message" && f.message != nil && f.message.name == "k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta" {
			continue
		}
		for _, value := range f.samples(in.message) {
			added, whole, rewritten := l.try(in, map[string]any{f.name: value})
			if added == nil {
				continue
			}
			if len(rewritten) > 0 {
				l.say("%s: rewritten: %s", in, strings.Join(rewritten, ", "))
			}
			if len(in.path) > 0 && text(whole) != text(around) {
				l.say("%s.%s=%s: changes something elsewhere: %s, not %s", in, f.name, text(value), text(whole), text(around))
			}
			variations = append(variations, variation{f.name, value, added})
			maps.Copy(targets, added)
		}
	}
	var rules []rule
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		if computed[in.message.short()+"."+name] {
			continue
		}
		rules = append(rules, rulesFor(name, base[name], variations)...)
	}
	rules = l.mergers(in, rules)
	return l.pairs(in, rules, variations), true
}

// rulesFor says how a member depends on each of the others alone.
func rulesFor(name, base string, variations []variation) []rule {
	var rules []rule
	for i := 0; i < len(variations); {
		member := variations[i].member
		end := i
		for end < len(variations) && variations[end].member == member {
			end++
		}
		tried := variations[i:end]
		i = end
		if member == name {
			continue
		}
		rules = append(rules, dependence(name, member, base, tried)...)
	}
	if base != "" {
		rules = append(rules, rule{field: name, value: base})
	}
	return join(rules)
}

func dependence(name, member, base string, tried []variation) []rule {
	same, copied := true, len(tried) > 1
	image := isImage(member)
	onLatest := ""
	for _, v := range tried {
		got := v.added[name]
		same = same && got == tried[0].added[name]
		copied = copied && got == text(v.value)
		if s, _ := v.value.(string); image && latest(s) {
			onLatest = got
		}
	}
	for _, v := range tried {
		s, _ := v.value.(string)
		image = image && v.added[name] == map[bool]string{true: onLatest, false: base}[latest(s)]
	}
	switch {
	case copied:
		return []rule{{field: name, when: []condition{{members: []string{member}}}, value: "=" + member}}
	case same && tried[0].added[name] == base:
		return nil
	case same:
		return []rule{{field: name, when: []condition{{members: []string{member}}}, value: tried[0].added[name]}}
	case image:
		return []rule{{field: name, when: []condition{{members: []string{member}, value: "~latest"}}, value: onLatest}}
	}
	var rules []rule
	for _, v := range tried {
		if got := v.added[name]; got != base {
			rules = append(rules, rule{field: name, when: []condition{{members: []string{member}, value: text(v.value)}}, value: got})
		}
	}
	return rules
}

// join makes one rule of those that say the same of several members.
func join(rules []rule) []rule {
	var out []rule
	for _, r := range rules {
		at := slices.IndexFunc(out, func(o rule) bool {
			return len(o.when) == 1 && len(r.when) == 1 && o.when[0].value == "" && r.when[0].value == "" && o.value == r.value
		})
		if at >= 0 {
			out[at].when[0].members = append(out[at].when[0].members, r.when[0].members...)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// mergers finds the maps that take entry by entry what another map has.
func (l *learner) mergers(in *instance, rules []rule) []rule {
	for i, r := range rules {
		other, copied := strings.CutPrefix(r.value, "=")
		if f := in.message.field(r.field); !copied || f == nil || !f.isMap || f.kind != "quantity" {
			continue
		}
		content := map[string]any{r.field: map[string]any{"cpu": "1"}, other: map[string]any{"cpu": "2", "memory": "3"}}
		got, err := l.probe.object(in.root, in.build(content))
		if err == nil && text(in.at(got)[r.field]) == `{"cpu":"1","memory":"3"}` {
			rules[i].value = "+" + other
		}
	}
	return rules
}

const maxConditionMembers = 8

// pairs finds what only two members together bring about.
func (l *learner) pairs(in *instance, rules []rule, variations []variation) []rule {
	members := map[string]bool{}
	targets := map[string]bool{}
	for _, r := range rules {
		targets[r.field] = true
		for _, c := range r.when {
			for _, m := range c.members {
				members[m] = true
			}
		}
	}
	if len(members) > maxConditionMembers {
		return rules
	}
	found := map[string][]rule{}
	for i, a := range variations {
		for _, b := range variations[i+1:] {
			if !members[a.member] || !members[b.member] || a.member == b.member {
				continue
			}
			content := map[string]any{a.member: a.value, b.member: b.value}
			added, _, _ := l.try(in, content)
			if added == nil {
				continue
			}
			for name := range targets {
				if _, sent := content[name]; sent || predict(rules, name, content) == added[name] {
					continue
				}
				found[name] = append(found[name], rule{field: name, value: added[name], when: []condition{
					{members: []string{a.member}, value: text(a.value)}, {members: []string{b.member}, value: text(b.value)}}})
			}
		}
	}
	var out []rule
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		out = append(out, widen(found[name], variations)...)
		for _, r := range rules {
			if r.field == name {
				out = append(out, r)
			}
		}
	}
	return out
}

// widen turns rules for each value of a member into one for any value.
func widen(rules []rule, variations []variation) []rule {
	for side := range 2 {
		var out []rule
		for _, r := range rules {
			mine, other := r.when[side], r.when[1-side]
			alike := func(o rule) bool {
				return o.value == r.value && text(o.when[1-side]) == text(other) && slices.Equal(o.when[1-side].members, other.members) &&
					o.when[1-side].value == other.value && slices.Equal(o.when[side].members, mine.members)
			}
			values := 0
			for _, v := range variations {
				if v.member == mine.members[0] {
					values++
				}
			}
			count := 0
			for _, o := range rules {
				if alike(o) {
					count++
				}
			}
			if mine.value != "" && count == values {
				r.when = slices.Clone(r.when)
				r.when[side] = condition{members: mine.members}
			}
			if !slices.ContainsFunc(out, func(o rule) bool { return ruleText(o) == ruleText(r) }) {
				out = append(out, r)
			}
		}
		rules = out
	}
	return rules
}
