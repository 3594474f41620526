package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const valuesHeader = `# What a real API server (%VERSION%) says about values that members of objects cannot have, written by codegen/learn -values.
# Not to be edited.
# where, type: as in required.tsv
# member: the member; with [] its items, with {} its values, with {key} its keys
# rule, argument: the value breaks the rule if it is
#   enum: none of these, which | divides
#   least, most: less, more than that number or quantity
#   length: longer than so many bytes
#   match: no match of this regular expression as a whole;   never: a match of a part of it
#   ip, cidr: no address, no block of addresses of IPv4 or IPv6
#   match?, enum? and so on: the empty text breaks no rule
#   unique: an item that another one before it equals; by that member, where one is named
# reason, field, message: the cause; % stands for the value, %* for the whole member, of which there is one cause then.
#   The field is as in required.tsv, and [*] is the item's index
# where	type	member	rule	argument	reason	field	message
`

// sayings are what the server says without a regular expression in it, and the expression that the value has to match (or, after
// a !, no part of which may).
var sayings = map[string]string{
	"must be an absolute path":                                 `/[\s\S]*`,
	"must be a relative path":                                  `!^/`,
	"must not contain '..'":                                    `!(^|/)\.\.(/|$)`,
	"must not start with '..'":                                 `!^\.\.([^/]|$)`,
	"must not contain ':'":                                     `!:`,
	"must not contain dots":                                    `!^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`,
	"must not be '.'":                                          `!^\.$`,
	"must not be '..'":                                         `!^\.\.$`,
	"must not contain '/'":                                     `!/`,
	"may not contain '/'":                                      `!/`,
	"may not contain '%'":                                      `!%`,
	"may not be '.'":                                           `!^\.$`,
	"may not be '..'":                                          `!^\.\.$`,
	"prefix part must be non-empty":                            `!^/[^/]*$`,
	"name part must be non-empty":                              `!^([^/]*/)?$`,
	"name part must be no more than 63 bytes":                  `!^([^/]*/)?[^/]{64,}$`,
	"prefix part must be no more than 253 bytes":               `!^[^/]{254,}/[^/]*$`,
	"must be a domain-prefixed path (such as \"acme.io/foo\")": `[^/]+/[\s\S]+`,
	"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)":                           `[-a-z0-9]*`,
	"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)":                                  `&`,
	"must contain only alphanumeric characters (a-z, 0-9), and hyphens (-)":                            `[-a-z0-9]*`,
	"must contain at least one letter (a-z)":                                                           `[\s\S]*[a-z][\s\S]*`,
	"must contain at least one letter or number (a-z, 0-9)":                                            `[\s\S]*[a-z0-9][\s\S]*`,
	"must not contain consecutive hyphens":                                                             `!--`,
	"must not begin or end with a hyphen":                                                              `!^-|-$`,
	"must be no more than 15 characters":                                                               `#15`,
	"a valid environment variable name must consist only of printable ASCII characters other than '='": `[ -<>-~]*`,
	"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)":                                    `@`,
}

var (
	shownRegex  = regexp.MustCompile(`regex used for validation is '([^']*)'`)
	shownLength = regexp.MustCompile(`^must be no more than (\d+) (?:characters|bytes)$|^may not be (?:more|longer) than (\d+)(?: bytes)?$`)
	shownValue  = regexp.MustCompile(`^(Invalid value|Unsupported value|Duplicate value): `)
	supported   = regexp.MustCompile(`supported values: (.*)$`)
	plainWord   = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	eitherWord  = regexp.MustCompile(`^must be '(\w+)' or '(\w+)'$`)
	quotedText  = regexp.MustCompile(`"([^"]*)"`)
)

var texts = []string{"x", "-x", "X_y", "a b", "a/b", "/a", "a.b", "..", "../a", "a/../b", ".", "a..b", "é", "a:b", "a%b", "1a", "1", "123", "A", "a@b", "1.2.3.4", "a--b", "x-", "/", "/x y",
	"a.b/c", "A/b", strings.Repeat("a", 16), strings.Repeat("a", 64), strings.Repeat("a", 254), strings.Repeat("a.", 130) + "a", strings.Repeat("a", 300),
	"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Utilization", "Value", "AverageValue", "Always", "Never", "10.1.2.3", "2001:db8::1"}
var numbers = []int{-1, 0, 1, 2, 3, 11, 101, 1001, 65535, 65536, 2147483647}
var quantities = []string{"-1", "0", "1"}

// said is one cause, with % for the value.
type said struct{ reason, field, message string }

// asked is what the server said of one value.
type asked struct {
	value any
	says  []said
}

// valueRule is a row but for where it holds.
type valueRule struct{ member, kind, argument, reason, field, message string }

func (r valueRule) row(where, message string) string {
	return strings.Join([]string{where, message, r.member, r.kind, r.argument, r.reason, r.field, r.message}, "\t") + "\n"
}

// slot is a place for one value in an object: of a member, or of an item or a value in it.
type slot struct {
	at     *place
	field  *field
	name   string // as in the table
	index  string // "[0]", "[a]" or ""
	set    func(any)
	before any
}

func slotsOf(at *place) []*slot {
	var out []*slot
	for _, f := range at.message.fields {
		value := at.content[f.name]
		if f.message != nil && f.kind == "message" || f.name == "metadata" || f.name == "status" || f.kind == "bytes" || f.kind == "bool" {
			continue
		}
		switch before := value.(type) {
		case nil:
			if !f.repeated && !f.isMap {
				out = append(out, &slot{at, f, f.name, "", func(v any) {
					if v == nil {
						delete(at.content, f.name)
					} else {
						at.content[f.name] = v
					}
				}, nil})
			}
		case []any:
			if len(before) > 0 {
				out = append(out, &slot{at, f, f.name + "[]", "[0]", func(v any) { before[0] = v }, before[0]})
			}
		case map[string]any:
			if f.isMap && len(before) > 0 {
				key := slices.Sorted(maps.Keys(before))[0]
				out = append(out, &slot{at, f, f.name + "{}", "[" + key + "]", func(v any) { before[key] = v }, before[key]})
				old := before[key]
				last := key
				out = append(out, &slot{at, f, f.name + "{key}", "[key]", func(v any) {
					delete(before, last)
					last = fmt.Sprint(v)
					before[last] = old
				}, key})
			}
		default:
			out = append(out, &slot{at, f, f.name, "", func(v any) { at.content[f.name] = v }, before})
		}
	}
	return out
}

// ask sends the object with that value; nil: the answer tells nothing about the value.
func (p *prober) ask(s *slot, value any) *asked {
	s.set(value)
	causes, err := p.causes(s.at.root, s.at.object)
	if p.check != nil && err == nil {
		p.check.compareCauses(s.at, s.field.name, causes)
	}
	s.set(s.before)
	if err != nil {
		return nil
	}
	out := &asked{value: value}
	shown, _ := json.Marshal(value)
	for _, c := range causes {
		field := s.at.relative(c.Field)
		first := field[:max(strings.IndexAny(field+".", ".["), 0)]
		if first != s.field.name || c.Reason == "FieldValueRequired" || c.Reason == "FieldValueNotFound" || c.Reason == "FieldValueDuplicate" {
			continue
		}
		if s.name == s.field.name+"{key}" {
			field = strings.Replace(field, fmt.Sprint("[", value, "]"), "[key]", 1)
		} else if s.index != "" {
			field = strings.Replace(field, s.index, "[*]", 1)
		}
		message := c.Message
		for _, head := range []string{"Invalid value: ", "Unsupported value: "} {
			if rest, ok := strings.CutPrefix(message, head+string(shown)); ok {
				message = head + "%" + rest
			} else if rest, ok := strings.CutPrefix(message, head+strconv.Quote(fmt.Sprint(value))); ok {
				message = head + `"%"` + rest
			}
		}
		if list, ok := s.at.content[s.field.name].([]any); ok && s.index != "" {
			list = slices.Clone(list)
			list[0] = value
			whole, _ := json.Marshal(list)
			message = strings.Replace(message, ": "+string(whole), ": %*", 1)
		}
		out.says = append(out.says, said{c.Reason, field, message})
	}
	return out
}

func (s *slot) isNumber() bool {
	return strings.HasPrefix(s.field.kind, "int") && s.field.kind != "intorstring" || strings.HasPrefix(s.field.kind, "uint")
}

// learn finds the rules of a slot.
func (p *prober) learn(s *slot, note func(string)) []valueRule {
	var answers []*asked
	try := func(v any) *asked {
		a := p.ask(s, v)
		if a != nil {
			answers = append(answers, a)
		}
		return a
	}
	switch {
	case s.isNumber():
		for _, n := range numbers {
			try(n)
		}
	case s.field.kind == "quantity":
		for _, q := range quantities {
			try(q)
		}
	case s.field.kind == "intorstring":
		for _, n := range numbers {
			try(n)
		}
		for _, t := range texts {
			try(t)
		}
	case s.field.kind == "string":
		if s.field.pointer {
			try("")
		}
		for _, t := range texts {
			try(t)
		}
	default:
		return nil
	}
	var all []said
	for _, a := range answers {
		for _, o := range a.says {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	var out []valueRule
	for _, o := range all {
		if made := p.explain(s, o, answers, note); made != nil {
			out = append(out, made...)
		}
	}
	return out
}

func (a *asked) has(o said) bool { return slices.Contains(a.says, o) }

// explain finds which rule makes the server say `o`.
func (p *prober) explain(s *slot, o said, answers []*asked, note func(string)) []valueRule {
	r := func(kind, argument string) valueRule {
		return valueRule{s.name, kind, argument, o.reason, o.field, o.message}
	}
	if o.reason == "FieldValueNotSupported" {
		list := supported.FindStringSubmatch(o.message)
		if list == nil {
			note("no list of values: " + o.message)
			return nil
		}
		var values []string
		for _, m := range quotedText.FindAllStringSubmatch(list[1], -1) {
			values = append(values, m[1])
		}
		kind := "enum"
		if slices.ContainsFunc(answers, func(a *asked) bool { return a.value == "" && !a.has(o) }) && !slices.Contains(values, "") {
			kind = "enum?"
		}
		return []valueRule{r(kind, strings.Join(values, "|"))}
	}
	if s.field.kind == "quantity" {
		var broken []any
		for _, a := range answers {
			if a.has(o) {
				broken = append(broken, a.value)
			}
		}
		switch {
		case !strings.Contains(o.message, "%: must be "):
		case slices.Equal(broken, []any{"-1"}):
			return []valueRule{r("least", "0")}
		case slices.Equal(broken, []any{"-1", "0"}):
			return []valueRule{r("least", "1n")}
		}
		note("quantity: " + o.message)
		return nil
	}
	var ints, strs []*asked
	for _, a := range answers {
		if _, ok := a.value.(int); ok {
			ints = append(ints, a)
		} else {
			strs = append(strs, a)
		}
	}
	var out []valueRule
	if slices.ContainsFunc(ints, func(a *asked) bool { return a.has(o) }) {
		if strings.Contains(o.message, "`") {
			note("depends on another: " + o.message)
			return nil
		}
		least, most, ok := p.bounds(s, o, ints)
		if !ok {
			note("no range: " + o.message)
			return nil
		}
		if least != "" {
			out = append(out, r("least", least))
		}
		if most != "" {
			out = append(out, r("most", most))
		}
	}
	if slices.ContainsFunc(strs, func(a *asked) bool { return a.has(o) }) {
		made := r("", "")
		for _, kind := range textRules(o, strs) {
			made = r(kind[0], kind[1])
			if wrong := made.unexplained(o, strs); wrong != "" {
				note(fmt.Sprintf("%s %q does not explain %q: %s", kind[0], kind[1], wrong[:min(len(wrong), 20)], o.message))
				made.kind = ""
				continue
			}
			break
		}
		if slices.ContainsFunc(strs, func(a *asked) bool { return a.value == "" && !a.has(o) }) && made.kind != "" && made.breaks("") {
			made.kind += "?"
		}
		if made.kind == "" {
			note("no rule: " + o.reason + " " + o.message)
			return nil
		}
		out = append(out, made)
	}
	return out
}

// unexplained gives a value for which the rule and the server differ.
func (r valueRule) unexplained(o said, answers []*asked) string {
	for _, a := range answers {
		if value := a.value.(string); value != "" && r.breaks(value) != a.has(o) {
			return value
		}
	}
	return ""
}

// textRules takes from what the server says the rules that may stand behind it.
func textRules(o said, answers []*asked) [][2]string {
	_, rest, found := strings.Cut(o.message, `%: `)
	if !found {
		_, rest, found = strings.Cut(o.message, `%": `)
	}
	if !found {
		_, rest, found = strings.Cut(o.message, `%*: `)
	}
	if o.reason == "FieldValueTooLong" {
		rest = strings.TrimPrefix(o.message, "Too long: ")
		found = true
	}
	if !found {
		return nil
	}
	if known, ok := sayings[rest]; ok {
		kinds := map[string]string{"#": "length", "!": "never", "@": "ip", "&": "cidr"}
		if kind := kinds[known[:1]]; kind != "" {
			return [][2]string{{kind, known[1:]}}
		}
		return [][2]string{{"match", known}}
	}
	if m := shownLength.FindStringSubmatch(rest); m != nil {
		return [][2]string{{"length", m[1] + m[2]}}
	}
	if m := shownRegex.FindStringSubmatch(rest); m != nil {
		const parts = `[^/]*/[^/]*/[\s\S]*`
		switch {
		case strings.HasPrefix(rest, "prefix part "):
			return [][2]string{{"match", `[^/]*|/[^/]*|(` + m[1] + `)/[^/]*|` + parts}}
		case strings.HasPrefix(rest, "name part "):
			return [][2]string{{"match", `([^/]*/)?(` + m[1] + `)|` + parts}}
		case strings.Contains(rest, "with an optional DNS subdomain prefix"):
			return [][2]string{{"match", `[^/]*(/[^/]*)?`}}
		}
		// Of labels that dots divide, only the dots are named.
		return [][2]string{{"match", m[1]}, {"match", m[1] + `(\.` + m[1] + `)*`}}
	}
	if m := eitherWord.FindStringSubmatch(rest); m != nil {
		return [][2]string{{"enum", m[1] + "|" + m[2]}}
	}
	var words []string // of a list that is not shown
	for _, a := range answers {
		if !a.has(o) {
			words = append(words, a.value.(string))
		}
	}
	if !slices.ContainsFunc(words, func(w string) bool { return !plainWord.MatchString(w) }) && len(words) > 1 {
		return [][2]string{{"enum", strings.Join(words, "|")}}
	}
	return nil
}

func (r valueRule) breaks(value string) bool {
	switch r.kind {
	case "enum":
		return !slices.Contains(strings.Split(r.argument, "|"), value)
	case "length":
		n, _ := strconv.Atoi(r.argument)
		return len(value) > n
	case "match":
		return !regexp.MustCompile(`^(?:` + r.argument + `)$`).MatchString(value)
	case "ip":
		address, err := netip.ParseAddr(value)
		return err != nil || address.Zone() != ""
	case "cidr":
		_, err := netip.ParsePrefix(value)
		return err != nil
	case "never":
		return regexp.MustCompile(r.argument).MatchString(value)
	}
	return false
}

// bounds finds between which numbers the server says nothing of the kind.
func (p *prober) bounds(s *slot, o said, ints []*asked) (least, most string, ok bool) {
	slices.SortFunc(ints, func(a, b *asked) int { return a.value.(int) - b.value.(int) })
	first := slices.IndexFunc(ints, func(a *asked) bool { return !a.has(o) })
	if first < 0 {
		return "", "", false
	}
	last := len(ints) - 1
	for ints[last].has(o) {
		last--
	}
	for _, a := range ints[first : last+1] {
		if a.has(o) {
			return "", "", false
		}
	}
	between := func(good, bad int) int { // the last good one before `bad`
		for good-bad > 1 || bad-good > 1 {
			middle := (good + bad) / 2
			if a := p.ask(s, middle); a == nil {
				return good
			} else if a.has(o) {
				bad = middle
			} else {
				good = middle
			}
		}
		return good
	}
	if first > 0 {
		least = strconv.Itoa(between(ints[first].value.(int), ints[first-1].value.(int)))
	}
	if last < len(ints)-1 {
		most = strconv.Itoa(between(ints[last].value.(int), ints[last+1].value.(int)))
	}
	return least, most, true
}

// duplicates repeats the first item of each list.
func (p *prober) duplicates(at *place) []valueRule {
	var out []valueRule
	for _, f := range at.message.fields {
		items, _ := at.content[f.name].([]any)
		if len(items) == 0 || f.kind == "bytes" {
			continue
		}
		var copied any
		data, _ := json.Marshal(items[0])
		json.Unmarshal(data, &copied)
		at.content[f.name] = append(slices.Clone(items), copied)
		causes, err := p.causes(at.root, at.object)
		if p.check != nil && err == nil {
			p.check.compareCauses(at, f.name, causes)
		}
		at.content[f.name] = items
		if err != nil {
			continue
		}
		for _, c := range causes {
			rest, ok := strings.CutPrefix(at.relative(c.Field), fmt.Sprintf("%s[%d]", f.name, len(items)))
			if c.Reason != "FieldValueDuplicate" || !ok {
				continue
			}
			member := strings.TrimPrefix(rest, ".")
			value := copied
			if member != "" {
				content, _ := copied.(map[string]any)
				value = content[member]
			}
			shown, _ := json.Marshal(value)
			if _, ok := value.(string); !ok || c.Message != "Duplicate value: "+string(shown) {
				continue // the whole item as Go prints it, or several members at once
			}
			out = append(out, valueRule{f.name + "[]", "unique", member, c.Reason, f.name + "[*]" + rest, "Duplicate value: %"})
		}
	}
	return out
}

// found: the rules of a member at one place.
type found struct {
	place *place
	rules []valueRule
}

// learnValues makes the table from a file of valid objects.
func learnValues(s *schema, p *prober, file, version string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	of := map[string][]found{} // by message, a tab and the member
	for number, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.valuesOf(s, line, of); err != nil {
			return "", fmt.Errorf("%s:%d: %w", file, number+1, err)
		}
	}
	sites := s.sites()
	out := strings.Replace(valuesHeader, "%VERSION%", version, 1)
	for _, key := range slices.Sorted(maps.Keys(of)) {
		message, member, _ := strings.Cut(key, "\t")
		out += rowsOf(message, member, of[key], len(sites[message]))
	}
	return out, nil
}

// rowsOf: what holds in each place where it was tried is a row for all, or for each site if there are others.
func rowsOf(message, member string, places []found, sites int) string {
	bySite := map[string][]found{}
	for _, f := range places {
		bySite[f.place.site] = append(bySite[f.place.site], f)
	}
	common := func(of []found) []valueRule {
		rules := of[0].rules
		for _, f := range of[1:] {
			rules = slices.DeleteFunc(slices.Clone(rules), func(r valueRule) bool { return !slices.Contains(f.rules, r) })
		}
		for _, f := range of {
			for _, r := range f.rules {
				if !slices.Contains(rules, r) {
					fmt.Fprintf(os.Stderr, "%s %s: it depends: %s\n", f.place.site, member, r.message)
				}
			}
		}
		return rules
	}
	perSite := map[string][]valueRule{}
	same := len(bySite) >= sites
	var first []valueRule
	for i, site := range slices.Sorted(maps.Keys(bySite)) {
		perSite[site] = common(bySite[site])
		if i == 0 {
			first = perSite[site]
		}
		same = same && slices.Equal(first, perSite[site])
	}
	out := ""
	if same {
		for _, r := range first {
			out += r.row("*", message)
		}
		return out
	}
	for _, site := range slices.Sorted(maps.Keys(perSite)) {
		for _, r := range perSite[site] {
			out += r.row(site, message)
		}
	}
	return out
}

func (p *prober) valuesOf(s *schema, line string, of map[string][]found) error {
	all, there, err := p.validObject(s, line)
	if err != nil || there {
		return err
	}
	for _, at := range all {
		for _, slot := range slotsOf(at) {
			key := at.message.name + "\t" + slot.name
			rules := p.learn(slot, func(text string) {
				fmt.Fprintf(os.Stderr, "%s %s: %s\n", at.site, slot.name, text)
			})
			of[key] = append(of[key], found{at, rules})
		}
		for _, r := range p.duplicates(at) {
			key := at.message.name + "\t" + r.member + " unique"
			of[key] = append(of[key], found{at, []valueRule{r}})
		}
	}
	return nil
}
