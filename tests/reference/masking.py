"""Masking by plain loops: which tokens are hidden, and by what."""

LOW = 2**64 - 1


def uniform(*counters):
    """splitmix64 over whole numbers, as a fraction."""
    bits = 0
    for counter in counters:
        bits = (bits + 0x9E3779B97F4A7C15 + counter) & LOW
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & LOW
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & LOW
        bits ^= bits >> 31
    return (bits >> 11) / 2**53


def hidden(tokens, begins, *, seed, epoch, number, vocab, mask, specials, share):
    """What is read of one text, and which places are asked for."""
    words = []
    for place, begin in enumerate(begins):
        if begin or not words:
            words.append([])
        words[-1].append(place)
    words.sort(key=lambda places: uniform(seed, epoch, number, places[0], 0))
    asked, chosen = max(1, round(share * len(tokens))), []
    for places in words:
        if len(chosen) >= asked:
            break
        chosen += places
    read = list(tokens)
    for place in chosen:
        fate = uniform(seed, epoch, number, place, 1)
        if fate < 0.8:
            read[place] = mask
        elif fate < 0.9:
            drawn = uniform(seed, epoch, number, place, 2)
            read[place] = specials + int(drawn * (vocab - specials))
    return read, sorted(chosen)
