import numpie
