# Wrong: a worse objective only takes back the verdict so far, and a better objective after it makes it true again.


def fitness_dominates(wvalues, other, obj=slice(None)) -> bool:
    dominating = False
    for a, b in zip(wvalues[obj], other["wvalues"][obj]):
        if a > b:
            dominating = True
        elif a < b:
            dominating = False
    return dominating
